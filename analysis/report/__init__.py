"""Reports: a run told as a page, and two runs compared.

`analysis.report.write.report` writes the page, `analysis.report.compare.compare` tells what changed.
"""

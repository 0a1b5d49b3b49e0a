"use strict";
// Tables that can be sorted: a button in each header, the order told by aria-sort.
for (const table of document.querySelectorAll("table.sortable")) {
  const headers = Array.from(table.tHead.rows[0].cells);
  const body = table.tBodies[0];
  const key = (row, at) => {
    const cell = row.cells[at];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const order = (x, y) => {
    if (typeof x === "number" && typeof y === "number") return x - y;
    if (typeof x === "number") return -1;
    if (typeof y === "number") return 1;
    return x.localeCompare(y, "en", { numeric: true });
  };
  headers.forEach((header, at) => {
    header.querySelector("button").addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of headers) other.setAttribute("aria-sort", "none");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = Array.from(body.rows).map((row) => [key(row, at), row]);
      rows.sort((one, other) => (down ? -1 : 1) * order(one[0], other[0]));
      body.append(...rows.map(([, row]) => row));
    });
  });
}

"""The score of an ended hand from its cards: legality, lay-offs, points, boxes; then its words."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.console import UsageError
from analysis.hands import (
    Fields,
    Told,
    join_melds,
    laid_off_text,
    layoff_texts,
    melds_texts,
    points_text,
    read_card,
    read_hand,
    read_spread,
)
from sim.cards import format_card, format_cards
from sim.deadwood import pips
from sim.layoff import default_spread, defend
from sim.melds import best_discards, deadwood, is_big_gin
from sim.rules import Rules
from sim.scoring import benchmark_reward, hand_terms, score_hand
from sim.tables import tables_for


@dataclass(frozen=True)
class _Ending:
    """The cards of an ending, as masks; ``kept`` are the knocker's after the discard."""

    kept: int
    thrown: int
    defender: int
    taken: int
    melds: list[int] | None
    texts: list[str]


def score_ending(
    rules: Rules,
    *,
    knocker: str,
    defender: str,
    discard: str | None = None,
    big_gin: bool = False,
    no_knock: bool = False,
    spread: str | None = None,
    taken: str | None = None,
    upcard: str | None = None,
    knock_card: str | None = None,
    stock: int | None = None,
) -> Told:
    """Score the end of a hand from its cards.

    Parameters
    ----------
    rules : Rules
        Honoured by the engine.
    knocker, defender : str
        The cards of both after the knocker's discard; with ``big_gin`` the knocker has one more.
    discard : str, optional
        The card the knocker throws; not with ``big_gin``.
    big_gin : bool
        Every card is melded and nothing is thrown. Where the rules know no big gin it counts as gin, the
        lowest card that can be spared being thrown.
    no_knock : bool
        The player throws his card without knocking.
    spread : str, optional
        The knocker's melds, separated by ``|``; default: the engine's choice for him.
    taken : str, optional
        The card the knocker took from the discard pile this turn; default: he drew from the stock.
    upcard : str, optional
        The first upcard, needed where it sets the limit.
    knock_card : str, optional
        The separate card that sets the limit, where the rules ask for one.
    stock : int, optional
        Cards left in the stock now.

    Returns
    -------
    dict
        ``end`` (knock, undercut, tie, gin, gin_cancelled, big_gin, illegal_knock, illegal_discard, void;
        None when the hand goes on), ``points_knocker``, ``points_defender``, ``boxes`` of the winner;
        ``payoff_knocker``, ``payoff_defender`` (None unless the rules pay a reward beside the points);
        ``limit``, ``multiplier``; ``knocker_deadwood`` and ``defender_deadwood`` (points; None where they
        are not counted); ``reason`` of an end without a score; ``discard``, ``spread``,
        ``knocker_leftover``, ``layoffs``, ``defender_melds``, ``defender_leftover``.

    Raises
    ------
    CardError, LayoffError, RulesError, UsageError
        Naming the input that cannot be used.
    """
    if sum((big_gin, discard is not None)) != 1:
        raise UsageError("say how the turn ends: either --discard CARD or --big-gin")
    if no_knock and (big_gin or spread is not None):
        raise UsageError(f"--no-knock and {'--big-gin' if big_gin else '--spread'} exclude each other")
    limit, multiplier = _terms(rules, upcard, knock_card)
    ending = _read_ending(rules, knocker, defender, discard, spread, taken)
    told = _score(rules, ending, limit, multiplier, big_gin, no_knock, stock)
    return {**told, "limit": limit, "multiplier": multiplier}


def _score(
    rules: Rules,
    ending: _Ending,
    limit: int,
    multiplier: int,
    big_gin: bool,
    no_knock: bool,
    stock: int | None,
) -> Told:
    if stock is not None and _wall(rules, stock, bool(ending.taken), no_knock):
        return _pay(_told("void", ending, reason="only the dead stock was left"), rules, ending, False, False)
    all_melded = big_gin and is_big_gin(ending.kept, rules)
    if all_melded and rules.big_gin_bonus is None:
        ending, big_gin = _spare_a_card(rules, ending), False
        if deadwood(ending.kept, rules):  # three sets or runs of three, which fewer than ten cards can be
            return _told(
                "illegal_knock", ending, deadwood(ending.kept, rules), "no melded card can be spared"
            )
    least = deadwood(ending.kept, rules)
    if ending.thrown & ending.taken and not rules.may_discard_taken:
        return _told("illegal_discard", ending, least, "the card just taken may not be thrown back")
    if rules.gin_compulsory and not big_gin and _missed_gin(rules, ending, no_knock or least > 0):
        return _told("illegal_discard", ending, least, "who can go gin must")
    if no_knock:
        return _told(None, ending)
    if least > limit:
        return _told("illegal_knock", ending, least, f"at most {limit} may be knocked with")
    if big_gin and not all_melded:
        return _told("illegal_knock", ending, least, "not every card is melded")
    return _settle(rules, ending, big_gin, limit, multiplier)


def _terms(rules: Rules, upcard: str | None, knock_card: str | None) -> tuple[int, int]:
    """Return the knock limit and the score's factor, from the card that sets them."""
    source = rules.knock_limit_source
    if knock_card is not None and source != "separate_card":
        raise UsageError(f"--knock-card {knock_card}: knock_limit_source={source}, not separate_card")
    if upcard is not None and rules.opening == "eleven_ten":
        raise UsageError(f"--upcard {upcard}: opening=eleven_ten turns no upcard")
    first = 0 if upcard is None else read_card(upcard, rules)
    if source == "fixed":
        return hand_terms(rules)
    text = upcard if source == "upcard" else knock_card
    if text is None:
        option = "--upcard" if source == "upcard" else "--knock-card"
        raise UsageError(f"knock_limit_source={source}: give the card that sets the limit, {option} CARD")
    return hand_terms(rules, first if source == "upcard" else read_card(text, rules))


def _missed_gin(rules: Rules, ending: _Ending, short: bool) -> bool:
    """Tell whether gin or big gin was to be had and the discard made, or fell ``short``, instead."""
    held = ending.kept | ending.thrown
    if rules.big_gin_bonus is not None and is_big_gin(held, rules):
        return True
    banned = 0 if rules.may_discard_taken else ending.taken
    return short and bool(best_discards(held, rules, banned)[0] == 0)


def _read_ending(
    rules: Rules,
    knocker: str,
    defender: str,
    discard: str | None,
    spread: str | None,
    taken: str | None,
) -> _Ending:
    size = rules.hand_size
    kept = read_hand(knocker, rules, "the knocker's hand", size if discard is not None else size + 1)
    thrown = 0 if discard is None else read_card(discard, rules)
    other = read_hand(defender, rules, "the defender's hand", size)
    for cards, where in (
        (thrown & kept, "the knocker's hand and as the discard"),
        (thrown & other, "the defender's hand and as the discard"),
        (kept & other, "both hands"),
    ):
        if cards:
            raise UsageError(f"duplicate card {format_cards(cards)}: in {where}")
    took = 0 if taken is None else read_card(taken, rules)
    if took & ~(kept | thrown):
        raise UsageError(f"--taken {format_card(took)}: neither in the knocker's hand nor the discard")
    melds, texts = (None, []) if spread is None else read_spread(spread, rules)
    foreign = sum(melds or ()) & ~kept
    if foreign:
        raise UsageError(f"--spread: the knocker does not hold {format_cards(foreign)}")
    return _Ending(kept, thrown, other, took, melds, texts)


def _wall(rules: Rules, stock: int, from_pile: bool, no_knock: bool) -> bool:
    """Tell whether the wall ends the hand, before this turn or (without a knock) after it.

    A discard without a knock that leaves only the dead stock ends the hand, or offers that discard to the
    other player, or a new stock is shuffled. Nobody draws from the dead stock.
    """
    most = rules.ranks * rules.suits - 2 * rules.hand_size - 1
    if not 0 <= stock <= most:
        raise UsageError(f"--stock {stock}: expected 0-{most} cards")
    at_wall = (stock if from_pile else stock + 1) <= rules.dead_stock
    if rules.wall_rule == "void":
        return at_wall or no_knock and stock <= rules.dead_stock
    if rules.wall_rule == "reshuffle":
        if at_wall:
            raise UsageError(f"--stock {stock}: wall_rule=reshuffle makes a new stock before so few are left")
        return False
    # The last discard may be taken: to end the hand with it, or to play on.
    return at_wall and (not from_pile or no_knock and rules.wall_rule == "last_discard_knock")


def _spare_a_card(rules: Rules, ending: _Ending) -> _Ending:
    """Throw a card from a hand that is melded to the last card, where the rules know no big gin."""
    banned = 0 if rules.may_discard_taken else ending.taken
    _, best = best_discards(ending.kept, rules, banned)
    spare = best & ~sum(ending.melds or ())
    if not spare:
        raise UsageError("--spread: must leave a card to throw, these rules know no big gin")
    thrown = spare & -spare
    return _Ending(ending.kept ^ thrown, thrown, ending.defender, ending.taken, ending.melds, ending.texts)


def _settle(rules: Rules, ending: _Ending, big_gin: bool, limit: int, multiplier: int) -> Told:
    """Score a legal knock."""
    kept = ending.kept
    if ending.melds is None:
        shown = default_spread(kept, rules.deck & ~kept & ~ending.thrown, rules)
        melds, texts, own = list(shown.melds), melds_texts(shown.melds), shown.deadwood
    else:
        melds, texts = ending.melds, ending.texts
        own = int(pips(kept & ~sum(melds), tables_for(rules)))
        most = 0 if big_gin else limit
        if own > most:
            raise UsageError(
                f"--spread {join_melds(texts)}: leaves {points_text(own)}, at most {most} may stay"
            )
    found = defend(ending.defender, melds, rules, layoffs=own > 0 or rules.layoff_on_gin)
    score = score_hand(own, found.deadwood, rules, big_gin, multiplier)
    told = _told(score.end, ending, own)
    if score.winner is not None:
        told[f"points_{score.winner}"] = score.points
        told["winner"] = score.winner
        told["boxes"] = score.boxes
    _pay(told, rules, ending, True, own == 0)
    told["defender_deadwood"] = found.deadwood
    told["spread"] = texts
    told["knocker_leftover"] = format_cards(kept & ~sum(melds))
    told["layoffs"] = layoff_texts(found, texts)
    told["defender_melds"] = melds_texts(found.melds)
    told["defender_leftover"] = format_cards(found.leftover)
    return told


def _pay(told: Told, rules: Rules, ending: _Ending, knocked: bool, gin: bool) -> Told:
    """Enter the benchmark's rewards, where the rules pay them: lay-offs do not count there."""
    if rules.payoff == "rlcard":
        own, other = deadwood(ending.kept, rules), deadwood(ending.defender, rules)
        told["payoff_knocker"] = int(benchmark_reward(knocked, gin, own)) / 100
        told["payoff_defender"] = int(benchmark_reward(False, False, other)) / 100
    return told


def _told(
    end: str | None, ending: _Ending, knocker_deadwood: int | None = None, reason: str | None = None
) -> Told:
    """Return the account of a hand in which nothing is shown."""
    return {
        "end": end,
        "reason": reason,
        "winner": None,
        "points_knocker": 0,
        "points_defender": 0,
        "boxes": 0,
        "payoff_knocker": None,
        "payoff_defender": None,
        "knocker_deadwood": knocker_deadwood,
        "defender_deadwood": None,
        "discard": format_card(ending.thrown) if ending.thrown else None,
        "spread": [],
        "knocker_leftover": "",
        "layoffs": [],
        "defender_melds": [],
        "defender_leftover": "",
    }


_NAMES = {
    "knock": "knock",
    "undercut": "undercut",
    "tie": "tie",
    "gin": "gin",
    "big_gin": "big gin",
    "gin_cancelled": "gin cancelled, the defender has no deadwood",
}


def describe_score(told: Told) -> Fields:
    """Put the end of a hand into words."""
    end, own = told["end"], told["knocker_deadwood"]
    if end is None:
        return [("End", "no knock, the hand goes on")]
    if end == "void":
        return [("End", f"void: {told['reason']}, nobody scores"), *_payoff(told)]
    if end == "illegal_discard":
        return [("End", f"illegal discard: {told['reason']}; the hand goes on")]
    if end == "illegal_knock":
        return [("End", f"illegal knock: deadwood {own}, {told['reason']}; the hand goes on")]
    result = "nobody scores"
    if (side := told["winner"]) is not None:
        boxes = "" if told["boxes"] == 1 else f", {told['boxes']} boxes"
        result = f"{points_text(told[f'points_{side}'])}{boxes} to the {side}"
        if not told[f"points_{side}"]:
            result = f"no points, but {'the box' if not boxes else boxes[2:]} to the {side}"
    fields = [
        ("End", f"{_NAMES[end]}: {result}"),
        ("Knocker", f"deadwood {own}"),
        ("  melds", join_melds(told["spread"])),
        ("  left over", told["knocker_leftover"] or "none"),
        ("  thrown", told["discard"] or "nothing"),
        ("Defender", f"deadwood {told['defender_deadwood']}"),
        ("  melds", join_melds(told["defender_melds"])),
        ("  laid off", laid_off_text(told["layoffs"])),
        ("  left over", told["defender_leftover"] or "none"),
    ]
    return [*fields, *_payoff(told)]


def _payoff(told: Told) -> Fields:
    if told["payoff_knocker"] is None:
        return []
    return [("Payoff", f"knocker {told['payoff_knocker']:g}, defender {told['payoff_defender']:g}")]

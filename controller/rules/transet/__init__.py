"""Transet (Harm van Veen), complete: `TRANSET` is the game with its default options."""

from controller.rules.transet.board import TransetPosition as TransetPosition
from controller.rules.transet.board import TransetTurn as TransetTurn
from controller.rules.transet.game import TRANSET as TRANSET
from controller.rules.transet.game import Transet as Transet

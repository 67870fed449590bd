"""Taasen (Jennifer Diane Reitz), complete: `TAASEN` is the game with its default options."""

from controller.rules.taasen.board import TaasenPosition as TaasenPosition
from controller.rules.taasen.board import TaasenTurn as TaasenTurn
from controller.rules.taasen.game import TAASEN as TAASEN
from controller.rules.taasen.game import Taasen as Taasen

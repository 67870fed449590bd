"""Transfer (Hila and Ivan Moscovich), complete: `TRANSFER` is the game with its default options."""

from controller.rules.transfer.board import Stroke as Stroke
from controller.rules.transfer.board import TransferPosition as TransferPosition
from controller.rules.transfer.board import TransferTurn as TransferTurn
from controller.rules.transfer.game import TRANSFER as TRANSFER
from controller.rules.transfer.game import Transfer as Transfer

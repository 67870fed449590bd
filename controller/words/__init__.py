"""Words for people: a Reason and a language -> a sentence; a key and facts -> a text."""

from controller.words.cameras import camera_sentence as camera_sentence
from controller.words.cameras import held_sentence as held_sentence
from controller.words.cameras import held_why as held_why
from controller.words.cameras import wrong_board as wrong_board
from controller.words.catalogue import LANGUAGES as LANGUAGES
from controller.words.catalogue import keys as keys
from controller.words.faults import fault_rest as fault_rest
from controller.words.faults import fault_sentence as fault_sentence
from controller.words.faults import record_sentence as record_sentence
from controller.words.links import link_sentence as link_sentence
from controller.words.speaking import decimal as decimal
from controller.words.speaking import rules_in_short as rules_in_short
from controller.words.speaking import say as say
from controller.words.speaking import say_health as say_health
from controller.words.speaking import sentence as sentence

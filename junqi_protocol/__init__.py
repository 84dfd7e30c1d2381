"""Junqi (军棋): room for its rules, player, referee and adapters. Nothing is here yet."""

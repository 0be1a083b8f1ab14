"""The node program: one call that plans, applies or verifies every role's nouns on the machine it runs on."""

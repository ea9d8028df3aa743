"""The advisor: profiles a recording, tries allocators in a program, advises, verifies, and keeps budgets."""

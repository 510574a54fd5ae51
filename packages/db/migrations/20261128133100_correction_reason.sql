-- A correction of a wallet by an operator. In a migration of its own: a new value cannot be used in the transaction that adds it.
ALTER TYPE "ledger_reason" ADD VALUE IF NOT EXISTS 'correction';

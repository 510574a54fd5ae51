-- That an alias sends all its requests to a version that had a share of them before. `false`: it begins to send some.
ALTER TABLE "model_adoption" ADD COLUMN "promoted" BOOLEAN NOT NULL DEFAULT false;

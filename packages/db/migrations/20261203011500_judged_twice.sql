-- Rows of a calibration that its judge judges a second time, to see how often it agrees with itself.
ALTER TYPE "judgement_source" ADD VALUE 'repeat';

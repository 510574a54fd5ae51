/**
 * What a statement sets in a row `j` of `training_job` to have a worker look at the job at once. The delay before the next step
 * ends; the lease of a worker that takes a step remains, and that worker notices the change when it is done.
 */
export const wakeJob = 'wakes = j.wakes + 1, leased_until = CASE WHEN j.attempts = 0 THEN NULL ELSE j.leased_until END'

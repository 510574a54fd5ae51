import type { FineTuningJob } from '@ratchet/contracts/fine-tuning'

type Progress = Pick<FineTuningJob, 'progress' | 'method'>

/** In which pass over the examples it is, such as `epoch 1.5 of 3`. */
export function epochText({ progress: { epoch }, method }: Progress): string {
  const settings = method[method.type]?.hyperparameters ?? null
  const passed = Number.isInteger(epoch) ? String(epoch) : epoch.toFixed(1)
  return settings === null ? `epoch ${passed}` : `epoch ${passed} of ${settings.n_epochs}`
}

/** Why a job does not go on at the moment; null when it does, or has ended. */
export function waitText({
  status,
  waiting_for: waitsFor,
  trainer,
}: Pick<FineTuningJob, 'status' | 'waiting_for' | 'trainer'>): string | null {
  if (status === 'paused') return 'It is paused and holds no money. After 30 days a paused job is cancelled.'
  if (status === 'validating_files')
    return 'Its data is read and checked. Nothing is charged if the data is not usable.'
  if (status !== 'queued') return null
  return waitsFor === 'gpu'
    ? `It waits until the trainer ${trainer} has a free place. Nothing is charged meanwhile.`
    : 'It starts as soon as a trainer takes it.'
}

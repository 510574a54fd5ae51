import type { DedicatedHardware } from '@ratchet/contracts/dedicated'
import { usdText } from './endpoint-words.ts'

/** A kind of machine with its price, and why it cannot be used now. */
export function hardwareText({
  id,
  gpu,
  gpu_count: gpus,
  gpu_memory_gb: memory,
  price_usd_per_hour: price,
  availability,
  fits,
}: DedicatedHardware): string {
  const machine = gpu === null ? id : `${id} (${gpus} × ${gpu}, ${memory} GB)`
  return `${machine} · ${usdText(price)} an hour${noteOf(availability, fits)}`
}

function noteOf(availability: DedicatedHardware['availability'], fits: boolean | null): string {
  if (fits === false) return ' · too small for the model'
  if (availability === 'none') return ' · none at present'
  return availability === 'queued' ? ' · all in use, so it waits' : ''
}

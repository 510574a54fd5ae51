import type { DedicatedHardware } from '@ratchet/contracts/dedicated'
import { hardwareText } from './hardware-text.ts'

const machine: DedicatedHardware = {
  id: 'a100',
  gpu: 'A100',
  gpu_count: 2,
  gpu_memory_gb: 160,
  price_usd_per_hour: 4.2,
  price_usd_per_second: 0.0012,
  availability: 'available',
  fits: null,
  max_context: null,
  max_adapters: 16,
}

it.each([
  [{}, 'a100 (2 × A100, 160 GB) · $4.20 an hour'],
  [{ gpu: null }, 'a100 · $4.20 an hour'],
  [{ availability: 'queued' }, 'a100 (2 × A100, 160 GB) · $4.20 an hour · all in use, so it waits'],
  [{ availability: 'none' }, 'a100 (2 × A100, 160 GB) · $4.20 an hour · none at present'],
  [{ fits: false }, 'a100 (2 × A100, 160 GB) · $4.20 an hour · too small for the model'],
] as const)('names a machine with its price, and why it cannot be used: %j', (changed, text) => {
  expect(hardwareText({ ...machine, ...changed })).toBe(text)
})

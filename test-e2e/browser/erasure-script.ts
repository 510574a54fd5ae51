import type { ErasureReceipt, PersonErasure } from '@ratchet/contracts/dashboard/erasures'
import type { Script } from './scripted-server.ts'

const at = '2026-11-20T10:00:00.000Z'
const id = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`
const hash = 'ab'.repeat(32)

const counts = [
  { service: 'logging' as const, kind: 'exchanges', count: 1_204 },
  { service: 'judging' as const, kind: 'grade_notes', count: 12 },
]

const receipt: ErasureReceipt = {
  version: 1,
  id: id(2),
  workspace_id: id(7),
  kind: 'end_user',
  person_sha256: hash,
  requested_by: id(1),
  requested_at: at,
  confirmed_by: id(1),
  confirmed_at: at,
  ended_at: at,
  erased: counts,
  kept: [{ kind: 'ledger_rows', count: 1_204, why: 'Charges are kept by law.' }],
  model_versions: ['support-v2'],
}

export const foundErasure: PersonErasure = {
  id: id(1),
  kind: 'end_user',
  person: 'ann-1842',
  state: 'found',
  requested_by: id(1),
  requested_at: at,
  confirmed_at: null,
  ended_at: null,
  progress: { done: 32, of: 32 },
  waits: [],
  found: counts,
  erased: [],
  model_versions: ['support-v2'],
  receipt: null,
  receipt_sha256: null,
}

export const doneErasure: PersonErasure = {
  ...foundErasure,
  id: id(2),
  person: null,
  state: 'done',
  confirmed_at: at,
  ended_at: at,
  erased: counts,
  receipt: JSON.stringify(receipt),
  receipt_sha256: hash,
}

/** Erasures of end users of a workspace. */
export const erasureScript: Script = {
  'GET /api/w/demo/erasures': { object: 'list', data: [foundErasure, doneErasure] },
}

import type { Script } from './scripted-server.ts'

const api = '/api/w/demo/v1/model_versions'

const version = (id: string, fields: object = {}) => ({
  id,
  object: 'model_version',
  model_id: 'ft:sim/small:demo:support:k3m7q2xa',
  name: 'support',
  base_model: 'sim/small',
  parent_id: null,
  produced_by: { type: 'fine_tuning', id: 'ftjob-1' },
  fine_tuning_job_id: 'ftjob-1',
  step: 102,
  dataset_id: 'ds_1',
  status: 'candidate',
  status_reason: null,
  from_reward: false,
  adapter: { rank: 32, size_bytes: 8_388_608 },
  files: [{ name: 'adapter_model.safetensors', sha256: 'ab'.repeat(32), bytes: 8_388_608 }],
  sha256: 'cd'.repeat(32),
  metrics: { train_loss: 0.4, valid_loss: 0.45 },
  chat_template_sha256: null,
  fingerprint: { source: 'trainer', probe_sha256: 'ef'.repeat(32) },
  serving: { pool: 'ready', pool_error: null, provider: null, dedicated: [] },
  aliases: [],
  created_by: 'u1',
  created_at: '2026-11-29T12:00:00.000Z',
  adopted_at: null,
  adopted_by: null,
  ...fields,
})

const adopted = {
  status: 'adopted',
  aliases: [{ name: 'support', arm: 'canary', percent: 10 }],
  adopted_at: '2026-11-29T13:00:00.000Z',
  adopted_by: 'u1',
}

const detail = {
  ...version('mv_1'),
  warnings: [],
  eval_ids: ['eval_1'],
  evidence: {
    eval_id: 'eval_1',
    baseline_model: 'sim/medium',
    win_rate: 0.61,
    win_rate_ci: [0.53, 0.69],
    proof_uses: 0,
    guard_verdict: null,
    audit: null,
    independent: true,
  },
}

const lineage = {
  object: 'model_version.lineage',
  nodes: [
    { id: 'mv_1', type: 'version', details: { status: 'candidate' } },
    { id: 'ftckpt-102', type: 'checkpoint', details: { step: 102 } },
    { id: 'ftjob-1', type: 'job', details: { method: 'supervised', trainer: 'sim' } },
    { id: 'ds_1', type: 'dataset', details: { name: 'support-november' } },
    { id: 'filters of ds_1', type: 'log_filters', details: { tag: 'support' } },
    { id: 'eval_1', type: 'eval', details: { name: 'After the training' } },
    { id: 'audit of mv_1', type: 'audit', details: { graded: 30, false_pass: 1, upper: 0.149 } },
  ],
  edges: [
    { from: 'filters of ds_1', to: 'ds_1' },
    { from: 'ds_1', to: 'ftjob-1' },
    { from: 'ftjob-1', to: 'ftckpt-102' },
    { from: 'ftckpt-102', to: 'mv_1' },
    { from: 'mv_1', to: 'eval_1' },
    { from: 'mv_1', to: 'audit of mv_1' },
  ],
}

/** Model versions: a candidate with its lineage, and one that an alias sends requests to. */
export const versionsScript: Script = {
  [`GET ${api}`]: {
    object: 'list',
    data: [version('mv_1'), version('mv_2', adopted)],
    total: 2,
    limit: 50,
    offset: 0,
    has_more: false,
  },
  [`GET ${api}/mv_1`]: detail,
  [`GET ${api}/mv_1/lineage`]: lineage,
}

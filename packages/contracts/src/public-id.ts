/** Prefixes of public ids. The hex digits of a UUID follow. */
const prefixes = {
  dataset: 'ds_',
  file: 'file-',
  log: 'log_',
  feedback: 'fb_',
  criterion: 'crit_',
  calibration: 'cal_',
  label: 'lbl_',
  round: 'rnd_',
  claim: 'clm_',
  reviewItem: 'itm_',
  criterionEvent: 'cev_',
  scan: 'scan_',
  suggestion: 'sug_',
  improvement: 'imp_',
  cascade: 'csc_',
  cascadeCalibration: 'cscal_',
  cascadeScan: 'cscan_',
  eval: 'eval_',
  batch: 'batch_',
  batchRequest: 'batch_req_',
  sample: 'smp_',
  preference: 'prf_',
  aliasEvent: 'aev_',
  webhook: 'whk_',
  webhookEvent: 'msg_',
  delivery: 'dlv_',
  topUp: 'tup_',
  environmentTool: 'tool_',
  raftRound: 'raft_',
  fineTuningJob: 'ftjob-',
  fineTuningEvent: 'ftevent-',
  fineTuningCheckpoint: 'ftckpt-',
  grpoRun: 'grpo_',
  rollout: 'roll_',
  modelVersion: 'mv_',
  dedicatedEndpoint: 'dep_',
  dedicatedEvent: 'depev_',
  replica: 'rep_',
  agent: 'agent_',
  agentVersion: 'agv_',
  voiceTool: 'vtool_',
  voiceNumber: 'num_',
  call: 'call_',
} as const

export type IdKind = keyof typeof prefixes

/**
 * A UUID as a public id.
 *
 * @example publicId('log', '019aa5f0-8a07-7000-8000-000000000001') // 'log_019aa5f08a0770008000000000000001'
 */
export function publicId(kind: IdKind, uuid: string): string {
  return prefixes[kind] + uuid.replaceAll('-', '')
}

/** The UUID of a public id, or null when the text is not one. */
export function uuidOf(kind: IdKind, id: string): string | null {
  const prefix = prefixes[kind]
  const digits = id.slice(prefix.length)
  if (!id.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(digits)) return null
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

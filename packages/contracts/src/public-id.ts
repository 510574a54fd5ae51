/** Prefixes of ids on the wire; the UUID's hex digits follow. */
const prefixes = {
  dataset: 'ds_',
  file: 'file-',
  log: 'log_',
  criterion: 'crit_',
  calibration: 'cal_',
  label: 'lbl_',
  scan: 'scan_',
  suggestion: 'sug_',
  improvement: 'imp_',
  eval: 'eval_',
  sample: 'smp_',
  aliasEvent: 'aev_',
  webhook: 'whk_',
  webhookEvent: 'msg_',
  delivery: 'dlv_',
} as const

export type IdKind = keyof typeof prefixes

/**
 * How an id is written on the wire.
 *
 * @example publicId('log', '019aa5f0-8a07-7000-8000-000000000001') // 'log_019aa5f08a0770008000000000000001'
 */
export function publicId(kind: IdKind, uuid: string): string {
  return prefixes[kind] + uuid.replaceAll('-', '')
}

/** The UUID that a public id stands for, or null for what is none. */
export function uuidOf(kind: IdKind, id: string): string | null {
  const prefix = prefixes[kind]
  const digits = id.slice(prefix.length)
  if (!id.startsWith(prefix) || !/^[0-9a-f]{32}$/.test(digits)) return null
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

import { defaultChecks, type gateChecks } from '@ratchet/contracts/eval-gate'

type CheckName = keyof typeof gateChecks

/** How a check is filled in: a number in a text, or on and off. */
export interface CheckField {
  readonly name: CheckName
  readonly label: string
  /** Proposed number; absent for what is only on or off. */
  readonly proposed?: string
  readonly unit?: string
}

/** The checks that the page offers: all of the contract. */
export const checkFields: readonly CheckField[] = [
  { name: 'min_win_rate_lower', label: 'Win rate proven above', proposed: '0.5' },
  { name: 'min_win_rate', label: 'Win rate at least', proposed: '0.5' },
  { name: 'min_evidence_lower', label: 'Win rate as evidence above', proposed: '0.5' },
  { name: 'max_worse_by', label: 'Worse by at most', proposed: '0.05' },
  { name: 'max_loss_rate', label: 'Losses at most', proposed: '0.3' },
  { name: 'min_savings_pct', label: 'Savings at least', proposed: '20', unit: '%' },
  { name: 'max_error_rate', label: 'Errors at most', proposed: '0.01' },
  { name: 'min_samples', label: 'Judged samples at least', proposed: '20' },
  { name: 'max_avg_latency_ms', label: 'Mean latency at most', proposed: '2000', unit: 'ms' },
  { name: 'max_p95_latency_ms', label: 'p95 latency at most', proposed: '5000', unit: 'ms' },
  { name: 'max_latency_ratio', label: 'Times as slow at most', proposed: '1.2' },
  { name: 'min_assertion_pass_rate', label: 'Every assertion at least', proposed: '0.95' },
  { name: 'min_runs_clean_pct', label: 'Runs without a lost step at least', proposed: '90', unit: '%' },
  { name: 'require_conclusive', label: 'Something is proven' },
  { name: 'require_reliable_judge', label: 'Judge is reliable' },
  { name: 'require_measured_judge', label: 'Judge was measured' },
  { name: 'require_trust', label: 'Judge was trustworthy and could act' },
]

/** What is ticked, with its number; a text for numbers, and `true` or `false` for switches. */
export type GateChoice = Readonly<Partial<Record<CheckName, string>>>

/** Switches that the API turns on by itself are always sent, so that the page, the command and the reply say the same. */
export const firstChoice: GateChoice = {
  min_win_rate_lower: '0.5',
  require_conclusive: 'true',
  require_reliable_judge: 'true',
  require_measured_judge: 'true',
}

export function isOn({ name }: CheckField, choice: GateChoice): boolean {
  return choice[name] !== undefined && choice[name] !== 'false'
}

/** The choice after a check was ticked, or no longer. */
export function withCheck(choice: GateChoice, { name, proposed }: CheckField, isTicked: boolean): GateChoice {
  const { [name]: _, ...others } = choice
  if (isTicked) return { ...others, [name]: proposed ?? (name === 'require_trust' ? 'trustworthy' : 'true') }
  return isDefault(name) ? { ...others, [name]: 'false' } : others
}

/** The query of the gate; null while it has no check. */
export function gateQuery(choice: GateChoice, candidate: string | null): Record<string, string> | null {
  const set = Object.entries(choice).filter(([, value]) => value !== '')
  if (set.every(([, value]) => value === 'false')) return null
  return { ...(candidate === null ? {} : { candidate }), ...Object.fromEntries(set) }
}

/** The same checks as a command, for a shell. */
export function gateCommand(id: string, query: Readonly<Record<string, string>>): string {
  const flags = Object.entries(query).map(([name, value]) => {
    const flag = name.replaceAll('_', '-')
    if (isDefault(name)) return value === 'false' ? `--no-${flag}` : `--${flag}`
    return `--${flag} ${quoted(value)}`
  })
  return ['ratchet eval gate', quoted(id), ...flags].join(' ')
}

function isDefault(name: string): boolean {
  return (defaultChecks as readonly string[]).includes(name)
}

function quoted(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** How the command ends after a refusal: 3 while the eval is not done, 4 when only the proof is missing, else 2. */
export function exitCodeOf(evalStatus: string, checks: readonly { readonly name: string; readonly passed: boolean }[]) {
  if (evalStatus !== 'DONE') return 3
  const failed = checks.filter(({ passed }) => !passed)
  return failed.length > 0 && failed.every(({ name }) => name === 'require_conclusive') ? 4 : 2
}

import { type defaultChecks, gateChecks } from '@ratchet/contracts/eval-gate'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError } from '../cli-error.ts'

type CheckName = keyof typeof gateChecks
type Options = Readonly<Record<string, unknown>>

/** The query of a gate, with unchanged values. */
export type GateChoice = Readonly<Record<string, string>>

const placeholders: Readonly<Partial<Record<CheckName, string>>> = {
  min_savings_pct: 'percent',
  max_avg_latency_ms: 'ms',
  max_p95_latency_ms: 'ms',
  max_worse_by: 'share',
  max_latency_ratio: 'ratio',
  min_samples: 'count',
  min_runs_clean_pct: 'percent',
  require_trust: 'trust',
}

/** Descriptions of checks that the contract describes only by name. */
const descriptions: Readonly<Partial<Record<CheckName, string>>> = {
  min_win_rate: 'Wins plus half of the ties, as share of all judged samples; 0 to 1.',
  min_savings_pct: 'Percent of the cost of the baseline.',
  max_avg_latency_ms: 'Average latency of the candidate.',
  max_p95_latency_ms: '95th percentile of the latency of the candidate.',
  max_error_rate: 'Share of prompts without an answer; 0 to 1.',
}

const names = Object.keys(gateChecks) as CheckName[]

type SwitchName = (typeof defaultChecks)[number]

/** What a check that is on by default requires, and what is allowed without it. */
const switches: Readonly<Record<SwitchName, readonly [string, string]>> = {
  require_conclusive: ['The interval must not contain 0.5 (default).', 'The interval may contain 0.5.'],
  require_reliable_judge: [
    'The judge must not be unreliable or biased (default).',
    'The judge may be unreliable or biased.',
  ],
  require_measured_judge: [
    'The judge must be a criterion that drawn grades measured, and not borderline or misaligned (default).',
    'The judge may be unmeasured.',
  ],
}

function isSwitch(name: CheckName): name is SwitchName {
  return Object.hasOwn(switches, name)
}

/** A flag for each check of the API. */
const checkOptions: readonly { readonly name: CheckName; readonly options: readonly Option[] }[] = names.map(
  (name) => ({
    name,
    options: isSwitch(name) ? switchOptions(name) : [valueOption(name)],
  }),
)

/** Commander's names of the flags of checks. */
export const checkAttributes: readonly string[] = checkOptions.flatMap(({ options: [option] }) =>
  option === undefined ? [] : [option.attributeName()],
)

/** Adds the flags of the checks, and the flag of their candidate. */
export function addGateOptions(command: Command, candidateFlag: '--candidate' | '--gate-candidate'): void {
  const group = 'Checks of the gate:'
  for (const option of checkOptions.flatMap(({ options }) => options)) command.addOption(option.helpGroup(group))
  const description = 'the candidate to check, if the eval has several'
  command.addOption(new Option(`${candidateFlag} <model>`, description).helpGroup(group))
}

/**
 * Builds the query of the gate; null when no flag of it was given.
 *
 * @throws CliError when flags were given, but no check
 */
export function gateChoiceOf(options: Options): GateChoice | null {
  const checks = checkOptions.flatMap(({ name, options: [option] }) => {
    const value = option === undefined ? undefined : options[option.attributeName()]
    return value === undefined ? [] : [[name, String(value)] as const]
  })
  const candidate = options.gateCandidate ?? (typeof options.candidate === 'string' ? options.candidate : undefined)
  if (checks.length === 0 && candidate === undefined) return null
  if (checks.every(([, value]) => value === 'false')) throw nothingAsked()
  return { ...(candidate === undefined ? {} : { candidate: String(candidate) }), ...Object.fromEntries(checks) }
}

export function nothingAsked(): CliError {
  return new CliError('give at least one check, such as --min-win-rate 0.55')
}

/**
 * Checks the candidate before the eval is started or waited for.
 *
 * @throws CliError which names the flag
 */
export function assertGateFits(
  { candidate }: GateChoice,
  models: readonly string[],
  flag: '--candidate' | '--gate-candidate',
): void {
  if (candidate === undefined && models.length > 1) {
    throw new CliError(`${flag}: checks are for one candidate; choose one of ${models.join(', ')}`)
  }
  if (candidate !== undefined && !models.includes(candidate)) {
    throw new CliError(`${flag}: ${candidate} is not a candidate of this eval; choose one of ${models.join(', ')}`)
  }
}

function valueOption(name: CheckName): Option {
  const schema = gateChecks[name]
  const description = schema.unwrap().description ?? descriptions[name] ?? ''
  return new Option(`--${kebab(name)} <${placeholders[name] ?? 'rate'}>`, description).argParser((text) => {
    const result = schema.safeParse(text)
    if (!result.success) throw new InvalidArgumentError(result.error.issues[0]?.message ?? 'This value is not allowed.')
    return text
  })
}

/** With both flags of a pair, Commander has no value when neither is given. */
function switchOptions(name: SwitchName): readonly Option[] {
  const [required, allowed] = switches[name]
  return [new Option(`--${kebab(name)}`, required), new Option(`--no-${kebab(name)}`, allowed)]
}

function kebab(name: string): string {
  return name.replaceAll('_', '-')
}

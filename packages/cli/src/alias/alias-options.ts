import { type AliasSettings, GateGuard, PutAlias } from '@ratchet/contracts/aliases'
import { FamilyRule } from '@ratchet/contracts/family-rules'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { checked, number, type Parser, text } from '../api/value-parsers.ts'

/** A flag for one setting of an alias. */
interface Field {
  readonly option: Option
  readonly setting: Exclude<keyof AliasSettings, 'name' | 'gate_guard' | 'family_rules'>
}

interface GuardField {
  readonly option: Option
  readonly setting: keyof GateGuard
}

const settings = PutAlias.shape

export const fields: readonly Field[] = [
  field('--target <model>', 'the model that answers requests', 'target_model'),
  field('--description <text>', 'purpose of the alias', 'description'),
  field('--canary <model>', 'the model that answers a share of the requests', 'canary_model'),
  field('--percent <n>', 'share of the canary; 100 = all requests', 'canary_percent', number),
  field('--gate <criterion>', 'the judge that compares both arms', 'gate_criterion_id'),
  field('--gate-mode <mode>', '`recommend` (the default) reports; `auto` promotes and rolls back', 'gate_mode'),
  field(
    '--min-samples <n>',
    'minimum judged answers of each arm before a decision',
    'gate_min_samples_per_arm',
    number,
  ),
  field('--rollback-threshold <n>', 'maximum drop of the pass rate, 0 to 1', 'gate_rollback_threshold', number),
  field('--window-hours <n>', 'maximum time to prove a canary', 'gate_window_hours', number),
  field('--confidence <n>', 'confidence level of decisions, such as 0.95', 'gate_confidence', number),
  field('--sticky-by <what>', '`request`, or `trace` for the same arm in a whole trace', 'sticky_by'),
  field('--shadow <model>', 'a model that also answers a share, but not to clients', 'shadow_model'),
  field('--shadow-percent <n>', 'share of the shadow', 'shadow_percent', number),
]

export const guardFields: readonly GuardField[] = [
  guardField('--max-error-rate-increase', 'maximum increase of the share of failures', 'max_error_rate_increase'),
  guardField('--max-latency-ratio', 'maximum ratio of its p95 to that of the target', 'max_latency_ratio'),
  guardField('--max-cost-ratio', 'maximum ratio of its average to that of the target', 'max_cost_ratio'),
]

/** A guard without limits; Commander takes null for a missing value. */
export const noLimit = 'none'

/** Adds a flag for every setting of an alias, flags that remove settings, and flags about the request. */
export function addAliasOptions(command: Command): void {
  for (const { option } of [...fields, ...guardFields]) command.addOption(option)
  command
    .addOption(familyOption)
    .option('--no-canary', 'remove the canary')
    .option('--no-family', 'remove all rules for prompt families')
    .option('--no-gate', 'remove the gate')
    .option('--no-shadow', 'remove the shadow')
    .option('--require-evidence', 'repoints require evidence, whatever the policy of the workspace')
    .option('--no-require-evidence', 'repoints require no evidence, whatever the policy of the workspace')
    .option('--force', 'repoint without evidence, as an owner; needs --reason')
    .addOption(new Option('--reason <text>', 'reason, for the audit events').argParser(text(settings.reason)))
    .option('--replace', 'set everything that is not given here to its default')
    .addOption(
      new Option('--if-match <version>', 'change the alias only if it has this version').argParser(parseVersion),
    )
}

/** In place of a model: the requests of the family take part in the split. */
const inSplit = 'split'
/** In place of a model: the family has no rule. */
const noRule = 'none'

/** A rule for one prompt family; `rule` is null to remove it. */
export interface FamilyChange {
  readonly segment: string
  readonly rule: FamilyRule | null
}

const familyOption = new Option(
  '--family <segment=model>',
  `model for a prompt family, outside of the split; \`${inSplit}\`, or \`${noRule}\` for no rule; * is any other family; may be repeated`,
).argParser((value: string, previous: unknown) => [...familyChanges(previous), parseFamily(value)])

/** The rules that were given so far; false after `--no-family`. */
export function familyChanges(given: unknown): readonly FamilyChange[] {
  return Array.isArray(given) ? given : []
}

function parseFamily(value: string): FamilyChange {
  const at = value.indexOf('=')
  if (at === -1) throw new InvalidArgumentError('Expected a segment and a model, such as none=sim/large.')
  const [segment, name] = [value.slice(0, at), value.slice(at + 1)]
  const rule = { segment, model: name === inSplit || name === noRule ? null : name }
  checked(FamilyRule, rule)
  return { segment, rule: name === noRule ? null : rule }
}

type Kind = typeof text

function field(flags: string, description: string, setting: Field['setting'], kind: Kind = text): Field {
  return { option: new Option(flags, description).argParser(kind(settings[setting])), setting }
}

function guardField(name: string, description: string, setting: keyof GateGuard): GuardField {
  const parse = number(GateGuard.shape[setting])
  const parser: Parser = (value, previous) => (value === noLimit ? noLimit : parse(value, previous))
  return { option: new Option(`${name} <n>`, `${description}; or none`).argParser(parser), setting }
}

function parseVersion(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Expected a version, as `ratchet alias list` prints it.')
}

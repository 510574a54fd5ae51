import { isDeepStrictEqual } from 'node:util'
import { type Alias, AliasSettings, putAlias } from '@ratchet/contracts/aliases'
import type { Answer } from '../answer.ts'
import { type Api, ApiRefusal, type Reply } from '../api/api-client.ts'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { CliError } from '../cli-error.ts'
import { oneLine } from '../text/printable.ts'
import { addNameArgument } from './alias-name.ts'
import { addAliasOptions } from './alias-options.ts'
import { changesOf, changesText } from './changes-of.ts'
import { findAlias } from './find-alias.ts'
import { planText } from './plan-text.ts'
import { changesAnything, defaultSettings, type SetOptions, settingsOf } from './settings-of.ts'
import { unproven } from './unproven.ts'

interface Order {
  readonly name: string
  readonly before: Reply<Alias> | null
  readonly settings: AliasSettings
  readonly options: SetOptions
}

export function setAlias({ group, run }: ApiCommands): void {
  const command = addNameArgument(
    group
      .command('set')
      .description('Create or change an alias. Settings that are not given remain. Prints what changed.'),
  )
  addAliasOptions(command)
  command.action((name: string, options: SetOptions) => run((deps) => work(deps, name, options)))
}

async function work({ connect }: ApiDeps, name: string, options: SetOptions): Promise<Answer> {
  if (!changesAnything(options)) {
    throw new CliError('nothing to change: give at least one setting, such as --target', { exitCode: 2 })
  }
  const isReplaced = options.replace === true
  if (isReplaced && options.target === undefined) {
    throw new CliError('--target is required with --replace', { exitCode: 2 })
  }
  const api = await connect()
  const before = await findAlias(api, name)
  if (before === null && options.target === undefined) {
    throw new CliError(`--target is required: the alias ${name} does not exist`, { exitCode: 2 })
  }
  const kept = before === null || isReplaced ? defaultSettings(name) : AliasSettings.parse(before.value)
  return send(api, { name, before, settings: settingsOf(kept, options), options })
}

/** The version to change: the one that was read (0 for a new alias), that of --if-match, or any with --replace. */
async function send(api: Api, order: Order): Promise<Answer> {
  const { before, settings, options } = order
  const { force, reason, replace, ifMatch: named } = options
  const ifMatch = typeof named === 'number' ? named : replace === true ? undefined : before?.value.version
  const body = { ...settings, ...(force === true ? { force } : {}), ...(typeof reason === 'string' ? { reason } : {}) }
  try {
    const ifAbsent = before === null && named === undefined && replace !== true
    const after = await api.call(putAlias, { body, ifAbsent, ...(ifMatch === undefined ? {} : { ifMatch }) })
    return describe(order, after)
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error
    const refusal = unproven(error)
    if (refusal !== null) return refusal
    if (error.error.code !== 'version_conflict') throw error
    // An alias that did not exist counts as version 0.
    return afterConflict(api, order, ifMatch ?? 0)
  }
}

/** After a lost answer the request is sent again. The newer version may be the result of the first one. */
async function afterConflict(api: Api, order: Order, ifMatch: number): Promise<Answer> {
  const { name, settings, options } = order
  const now = await findAlias(api, name)
  if (now === null) throw new CliError(`${name} was deleted since version ${ifMatch}; nothing was changed`)
  const isOurs = now.value.version === ifMatch + 1 && isDeepStrictEqual(AliasSettings.parse(now.value), settings)
  if (isOurs) return describe(order, now)
  const { version, updated_by: who, updated_at: at } = now.value
  const advice =
    options.ifMatch === undefined
      ? 'nothing was changed; run the command again to change the new version'
      : `nothing was changed; check the new version, then give --if-match ${version}`
  throw new CliError(
    oneLine(`${name} is no longer version ${ifMatch}: ${who} changed it to ${version} at ${at}; ${advice}`),
  )
}

function describe({ name, before }: Order, { value, json }: Reply<Alias>): Answer {
  const old = before === null ? null : AliasSettings.parse(before.value)
  const changes = changesOf(old, AliasSettings.parse(value))
  const what = before === null ? 'created' : changes.length === 0 ? 'unchanged:' : 'changed'
  const head = `${what} ${name} (version ${value.version})`
  const plan = value.gate_plan === null ? '' : `\n${planText(value.gate_plan)}`
  return { json, text: [head, changesText(changes), plan].filter((part) => part !== '').join('\n') }
}

import { type NamedKey, parseNamedKeys } from '@ratchet/service-kit/identity/identity'
import { formatKeys } from '../fleet/audience-keys.ts'
import { identityVariables } from '../fleet/identity-variables.ts'
import { ReadableError } from '../terminal/readable-error.ts'

/** Keys that are rotated in steps, so that every process knows each key before it is used. */
export type RotatedKeys = 'identity' | 'encryption'

/** Steps that change no key, but which keys callers sign with; `docs/operations.md` says when. */
export type CallerStep = 'share' | 'derive'

/**
 * `add` appends a new key, which processes accept but do not use. `promote` moves the last key to the front, where it is
 * used; a second `promote` undoes the first. `drop` removes all keys except the first.
 */
export type RotationStep = 'add' | 'promote' | 'drop'

/**
 * Returns the keys after one step. All processes must be restarted between two steps.
 *
 * @throws ReadableError when the number of keys does not fit the step
 */
export function rotateKeys(
  keys: readonly NamedKey[],
  step: RotationStep,
  randomBytes: (count: number) => Buffer,
): readonly NamedKey[] {
  const [first, ...rest] = keys
  const last = rest.at(-1)
  if (first === undefined) throw new ReadableError('There are no keys to rotate.')
  if (step === 'add') {
    if (last !== undefined) throw new ReadableError('There are two keys already: promote and drop first.')
    return [first, { id: nextId(first.id), secret: randomBytes(32) }]
  }
  if (last === undefined) throw new ReadableError('There is only one key: add one first.')
  return step === 'promote' ? [last, first, ...rest.slice(0, -1)] : [first]
}

/** `k1` → `k2`; an id without a number at its end gets one. */
function nextId(id: string): string {
  const [, word = '', digits = ''] = /^(.*?)(\d*)$/.exec(id) ?? []
  return `${word === '' ? 'k' : word}${Number(digits === '' ? '1' : digits) + 1}`.slice(-16)
}

/**
 * Chooses the file when the command names none.
 *
 * @param found the existing files with keys
 * @throws ReadableError when there is not exactly one
 */
export function chooseKeysFile(found: readonly string[]): string {
  const [only, ...others] = found
  if (only === undefined) throw new ReadableError('There is neither a .env nor a secrets.json: name the file.')
  if (others.length > 0) throw new ReadableError(`There are keys in ${found.join(' and in ')}: name the file.`)
  return only
}

/** Returns the keys that replace those of a file. */
export type EditKeys = (keys: readonly NamedKey[]) => readonly NamedKey[]

/**
 * Edits the keys in a file of `NAME=value` lines, as `compose:env` prints them. Everything else remains.
 *
 * @param areShared whether callers get the callee's own keys instead of separate ones
 * @throws ReadableError when the file has no such keys
 */
export function editEnvFile(text: string, which: RotatedKeys, edit: EditKeys, areShared = false): string {
  const name = which === 'identity' ? 'IDENTITY_MASTER_KEYS' : 'ENCRYPTION_KEYS'
  const value = new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]
  const edited = edit(parsed(value?.replace(/^(["'])(.*)\1$/, '$2'), name))
  const variables = which === 'identity' ? identityVariables(edited, areShared) : { [name]: formatKeys(edited) }
  return Object.entries(variables).reduce(setVariable, text)
}

/** Edits the keys in `secrets.json` of `npm start`. @throws ReadableError when it has no such keys */
export function editSecretsFile(text: string, which: RotatedKeys, edit: EditKeys): string {
  const name = which === 'identity' ? 'identity_master_keys' : 'encryption_keys'
  const secrets = JSON.parse(text) as Record<string, string>
  return `${JSON.stringify({ ...secrets, [name]: formatKeys(edit(parsed(secrets[name], name))) }, null, 2)}\n`
}

function setVariable(text: string, [name, value]: readonly [string, string]): string {
  const line = new RegExp(`^${name}=.*$`, 'm')
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  // A function as replacement, because `$` would have a meaning in a string.
  return line.test(text) ? text.replace(line, () => `${name}=${value}`) : `${text}${end}${name}=${value}\n`
}

function parsed(value: string | undefined, name: string): readonly NamedKey[] {
  if (value === undefined || value === '') throw new ReadableError(`There is no ${name} in this file.`)
  try {
    return parseNamedKeys(value)
  } catch (cause) {
    throw new ReadableError(`${name}: ${(cause as Error).message}`, { cause })
  }
}

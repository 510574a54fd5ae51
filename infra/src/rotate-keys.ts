import { type NamedKey, parseNamedKeys } from '@ratchet/service-kit/identity'
import { identityVariables } from './identity-variables.ts'
import { ReadableError } from './readable-error.ts'
import { formatKeys } from './service-list.ts'

/** Keys that are changed in steps, so that no process ever meets what it does not know. */
export type RotatedKeys = 'identity' | 'encryption'

/**
 * `add`: a new key, last, which everybody knows and nobody uses. `promote`: the last key goes first and is used from now
 * on; done twice it takes itself back. `drop`: only the first key is left.
 */
export type RotationStep = 'add' | 'promote' | 'drop'

/**
 * The keys after one step. Between two steps every process must have been started anew.
 *
 * @throws ReadableError for a step that would leave somebody without the key they need
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

/** `k1` → `k2`; ids that do not end in a number get one. */
function nextId(id: string): string {
  const [, word = '', digits = ''] = /^(.*?)(\d*)$/.exec(id) ?? []
  return `${word === '' ? 'k' : word}${Number(digits === '' ? '1' : digits) + 1}`.slice(-16)
}

/**
 * The file whose keys are meant when nobody names one.
 *
 * @param found the files of fleets on this machine
 * @throws ReadableError when it is not the only one: a fleet whose keys did not change would not know those that did
 */
export function chooseKeysFile(found: readonly string[]): string {
  const [only, ...others] = found
  if (only === undefined) throw new ReadableError('There is neither a .env nor a secrets.json: name the file.')
  if (others.length > 0) throw new ReadableError(`There are keys in ${found.join(' and in ')}: name the file.`)
  return only
}

/** Takes the keys out of a file's text and puts others there. */
export type EditKeys = (keys: readonly NamedKey[]) => readonly NamedKey[]

/**
 * The text of a file of variables (`NAME=value` lines, as `compose:env` prints them) with its keys edited; everything
 * else in it stays.
 *
 * @throws ReadableError when the keys are not in it
 */
export function editEnvFile(text: string, which: RotatedKeys, edit: EditKeys): string {
  const name = which === 'identity' ? 'IDENTITY_MASTER_KEYS' : 'ENCRYPTION_KEYS'
  const value = new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1]
  const edited = edit(parsed(value?.replace(/^(["'])(.*)\1$/, '$2'), name))
  const variables = which === 'identity' ? identityVariables(edited) : { [name]: formatKeys(edited) }
  return Object.entries(variables).reduce(setVariable, text)
}

/** The text of `secrets.json` of `npm start` with its keys edited. @throws ReadableError when they are not in it */
export function editSecretsFile(text: string, which: RotatedKeys, edit: EditKeys): string {
  const name = which === 'identity' ? 'identity_master_keys' : 'encryption_keys'
  const secrets = JSON.parse(text) as Record<string, string>
  return `${JSON.stringify({ ...secrets, [name]: formatKeys(edit(parsed(secrets[name], name))) }, null, 2)}\n`
}

function setVariable(text: string, [name, value]: readonly [string, string]): string {
  const line = new RegExp(`^${name}=.*$`, 'm')
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  // A function: `$` means nothing in it.
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

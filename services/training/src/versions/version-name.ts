/** Longest name of a model that aliases and evals take. */
const maxNameLength = 200
/** The alphabet of base 32 in lower case. */
const digits = 'abcdefghijklmnopqrstuvwxyz234567'
const suffixDigits = 8

export interface NamedVersion {
  /** UUID, whose last 40 bits are random. */
  readonly id: string
  readonly baseModel: string
  /** Slug of the workspace. */
  readonly workspace: string
  /** A word of the user; null for none. */
  readonly suffix: string | null
}

/**
 * The name under which requests reach a version, in OpenAI's form. A suffix is shortened when the name would be longer than 200
 * characters.
 *
 * @example versionName({ id, baseModel: 'sim/small', workspace: 'acme', suffix: 'support' }) // 'ft:sim/small:acme:support:k3m7q2xa'
 */
export function versionName({ id, baseModel, workspace, suffix }: NamedVersion): string {
  const [start, end] = [`ft:${baseModel}:${workspace}:`, `:${base32Of(id)}`]
  const room = Math.max(0, maxNameLength - start.length - end.length)
  return `${start}${(suffix ?? '').slice(0, room)}${end}`
}

/** Whether a name has the form of names of versions. */
export function isVersionName(name: string): boolean {
  return name.startsWith('ft:')
}

function base32Of(id: string): string {
  const bits = BigInt(`0x${id.replaceAll('-', '').slice(-10)}`)
  const letters = Array.from({ length: suffixDigits }, (_, index) => {
    return digits[Number((bits >> BigInt(5 * (suffixDigits - 1 - index))) & 31n)]
  })
  return letters.join('')
}

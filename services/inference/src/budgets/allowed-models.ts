import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { ParsedRequest } from '../request/request-records.ts'

/** Whether one of the globs matches the whole name. `*` stands for any number of any characters. */
export function isAllowed(globs: readonly string[], name: string): boolean {
  return globs.some((glob) => matches(glob, name))
}

/** Each part is looked for once and from left to right, so the time does not grow with the number of stars. */
function matches(glob: string, name: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  const last = rest.pop()
  if (last === undefined) return glob === name
  if (!name.startsWith(first)) return false
  let place = first.length
  for (const part of rest) {
    const found = name.indexOf(part, place)
    if (found < 0) return false
    place = found + part.length
  }
  return name.length - last.length >= place && name.endsWith(last)
}

/** The globs of the key that a request was made with; undefined when it may call every model. */
export function globsOf({ identity: { keyId }, settings }: Pick<ParsedRequest, 'identity' | 'settings'>) {
  return keyId === null ? undefined : settings.keyModels.get(keyId)
}

/** @throws ServiceError `model_not_allowed` */
export function requireAllowed(globs: readonly string[] | undefined, names: readonly string[]): void {
  if (globs === undefined || names.some((name) => isAllowed(globs, name))) return
  const [asked = ''] = names
  throw new ServiceError(
    'model_not_allowed',
    `This API key may not call ${JSON.stringify(asked.slice(0, 128))}. GET /v1/models lists what it may call.`,
    { param: 'model' },
  )
}

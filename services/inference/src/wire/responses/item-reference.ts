import { type Fields, isAbsent } from '@ratchet/service-kit/values/json'

/** True for an item that only names a stored one. OpenAI's SDKs may leave out its type, so that nothing but an id is left. */
export function isReference({ type, role, id }: Fields): boolean {
  return type === 'item_reference' || (isAbsent(type) && isAbsent(role) && typeof id === 'string')
}

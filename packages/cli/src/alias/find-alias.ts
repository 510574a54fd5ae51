import { type Alias, getAlias } from '@ratchet/contracts/aliases'
import { type Api, ApiRefusal, type Reply } from '../api/api-client.ts'

/** Reads an alias; null when it does not exist. */
export async function findAlias(api: Api, name: string): Promise<Reply<Alias> | null> {
  try {
    return await api.call(getAlias, { params: { name } })
  } catch (error) {
    if (error instanceof ApiRefusal && error.error.code === 'not_found') return null
    throw error
  }
}

import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { notFound } from '@ratchet/service-kit/http/service-error'
import type { RoundStore } from './pg-rounds.ts'
import type { Round } from './round.ts'

/** @throws ServiceError `not_found`, the same for unknown ids and for ids of other workspaces */
export async function requireRound(
  rounds: Pick<RoundStore, 'get'>,
  { workspaceId }: Pick<Identity, 'workspaceId'>,
  roundId: string,
): Promise<Round> {
  const id = uuidOf('round', roundId)
  const round = id === null ? null : await rounds.get({ workspaceId, id })
  if (round === null) throw notFound('round', 'id')
  return round
}

import { listMembers } from '@ratchet/contracts/dashboard/members'
import { useEndpoint } from './use-endpoint.ts'

/** Gives the name of a user of the workspace by id. */
export function usePeople(): (userId: string) => string {
  const members = useEndpoint(listMembers).data?.data ?? []
  return (userId) => members.find((member) => member.user_id === userId)?.name ?? 'somebody who left'
}

import { type ServiceName, serviceNames } from '@ratchet/contracts/endpoint'

/** What the edge forwards to. */
export type Upstream = ServiceName | 'dashboard'

export const upstreams: readonly Upstream[] = [...serviceNames, 'dashboard']

import type { ServiceName } from './endpoint.ts'

/** The service that answers the endpoints of training. The edge does not forward to it yet, so it is in no list. */
export const trainingService = 'training' as string as ServiceName

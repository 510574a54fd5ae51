import { logFilters } from '@ratchet/contracts/log-filters'
import { z } from 'zod'

/** The filters of the exchanges are in the address, so that a link from the log opens the same selection. */
export const NewDatasetSearch = z.object(logFilters)

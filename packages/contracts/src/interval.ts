import { z } from 'zod'

/** Lower and upper bound of an interval that may be negative. */
export const Interval = z.tuple([z.number(), z.number()])

/** The services that have a part in every erasure of a person. */
export const erasingServices = [
  'alias',
  'dashboard',
  'eval',
  'inference',
  'judging',
  'logging',
  'training',
  'voice',
] as const
export type ErasingService = (typeof erasingServices)[number]

/**
 * Rounds of an erasure, in which all services take part one after the other. What one of them finds may show another one more, so
 * that they look several times before the numbers are shown. After the confirmation they look again, and the last two rounds erase:
 * the second one what arrived during the first.
 */
export const passes = { lastFinding: 4, firstErasing: 7, last: 8 } as const

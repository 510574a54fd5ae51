/** Topics of a whole workspace. */
export const workspaceTopics = ['logs', 'judges', 'evals', 'aliases', 'wallet', 'setup'] as const
/** Topics of one thing; its public id, name or trace id follows after a colon. */
export const thingTopics = [
  'trace',
  'round',
  'calibration',
  'scan',
  'suggestion',
  'improvement',
  'eval',
  'alias',
] as const

/** What live notices are about: services publish no others, and pages follow no others. */
export type LiveTopic = (typeof workspaceTopics)[number] | `${(typeof thingTopics)[number]}:${string}`

/** The form of a topic. A thing whose id has other characters has no topic, and its page reads it again when it is polled. */
export const topicPattern = /^[a-z_]+(?::[A-Za-z0-9_.-]{1,100})?$/

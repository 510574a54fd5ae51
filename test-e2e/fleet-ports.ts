import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'

/** Ports of the processes that run once behind the edge, without inference. */
export async function portsBehind() {
  return {
    logging: await anyFreePort(),
    'logging-worker': await anyFreePort(),
    judging: await anyFreePort(),
    'judging-worker': await anyFreePort(),
    eval: await anyFreePort(),
    'eval-worker': await anyFreePort(),
    alias: await anyFreePort(),
    'alias-worker': await anyFreePort(),
    training: await anyFreePort(),
    'training-worker': await anyFreePort(),
    dashboard: await anyFreePort(),
    voice: await anyFreePort(),
    'voice-worker': await anyFreePort(),
  }
}

/** A listener of the voice interface for an edge, in a fleet that has voice agents. */
export async function voiceListener(hasVoice: boolean): Promise<{ readonly voiceUrl?: string }> {
  return hasVoice ? { voiceUrl: `http://127.0.0.1:${await anyFreePort()}` } : {}
}

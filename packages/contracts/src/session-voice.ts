import type { z } from 'zod'
import type { Endpoint, MountedEndpoint } from './endpoint.ts'
import {
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  listAgentVersions,
  publishAgentVersion,
  updateAgent,
} from './voice/agents.ts'
import { createCall, getCall, listCalls, stopCall } from './voice/calls.ts'
import { getAgentCanary } from './voice/canaries.ts'
import { listVoiceLanguages, listVoices } from './voice/languages.ts'
import { getCallRecording } from './voice/recordings.ts'
import { listVoiceTools } from './voice/tools.ts'

/** An endpoint of the voice interface for people, with the refusals of the fleet instead of those of the interface. */
function forPeople<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  endpoint: MountedEndpoint<P, Q, B, R>,
): Endpoint<P, Q, B, R> {
  return {
    ...endpoint,
    path: endpoint.path.replace('/v1/', '/session/voice/'),
    service: 'voice',
    audience: 'session',
    guard: endpoint.method !== 'get',
  }
}

export const listMyAgents = forPeople(listAgents)
export const getMyAgent = forPeople(getAgent)
export const createMyAgent = forPeople(createAgent)
export const updateMyAgent = forPeople(updateAgent)
export const deleteMyAgent = forPeople(deleteAgent)
export const listMyAgentVersions = forPeople(listAgentVersions)
export const publishMyAgentVersion = forPeople(publishAgentVersion)
export const listMyVoiceLanguages = forPeople(listVoiceLanguages)
export const listMyVoices = forPeople(listVoices)
export const listMyVoiceTools = forPeople(listVoiceTools)
export const getMyAgentCanary = forPeople(getAgentCanary)
export const listMyCalls = forPeople(listCalls)
export const getMyCall = forPeople(getCall)
export const getMyCallRecording = forPeople(getCallRecording)
export const createMyCall = forPeople(createCall)
export const stopMyCall = forPeople(stopCall)

/** What pages of voice agents ask. */
export const voicePageEndpoints: readonly Endpoint[] = [
  listMyAgents,
  getMyAgent,
  createMyAgent,
  updateMyAgent,
  deleteMyAgent,
  listMyAgentVersions,
  publishMyAgentVersion,
  listMyVoiceLanguages,
  listMyVoices,
  listMyVoiceTools,
  getMyAgentCanary,
  listMyCalls,
  getMyCall,
  getMyCallRecording,
  createMyCall,
  stopMyCall,
]

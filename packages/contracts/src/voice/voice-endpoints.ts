import type { MountedEndpoint } from '../endpoint.ts'
import {
  createAgent,
  deleteAgent,
  getAgent,
  getAgentVersion,
  listAgents,
  listAgentVersions,
  publishAgentVersion,
  updateAgent,
} from './agents.ts'
import { createCall, eraseCall, getCall, listCallEvents, listCalls, sayInCall, stopCall } from './calls.ts'
import { deleteAgentCanary, getAgentCanary, putAgentCanary } from './canaries.ts'
import { listVoiceLanguages, listVoices } from './languages.ts'
import {
  createVoiceTool,
  deleteVoiceTool,
  getVoiceTool,
  listVoiceTools,
  testVoiceTool,
  updateVoiceTool,
} from './tools.ts'
import { chatWithAgent, replayCall } from './trials.ts'

/** Every endpoint of the voice interface. Each path also exists without `/v1`. */
export const voiceEndpoints: readonly MountedEndpoint[] = [
  listVoiceLanguages,
  listVoices,
  createAgent,
  listAgents,
  getAgent,
  updateAgent,
  deleteAgent,
  listAgentVersions,
  getAgentVersion,
  publishAgentVersion,
  putAgentCanary,
  getAgentCanary,
  deleteAgentCanary,
  chatWithAgent,
  createVoiceTool,
  listVoiceTools,
  getVoiceTool,
  updateVoiceTool,
  deleteVoiceTool,
  testVoiceTool,
  createCall,
  listCalls,
  getCall,
  listCallEvents,
  stopCall,
  sayInCall,
  eraseCall,
  replayCall,
]

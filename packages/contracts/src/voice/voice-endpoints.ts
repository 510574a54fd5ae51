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
import {
  createCall,
  eraseCall,
  getCall,
  listCallEvents,
  listCalls,
  sayInCall,
  stopCall,
  transferCall,
} from './calls.ts'
import { deleteAgentCanary, getAgentCanary, putAgentCanary } from './canaries.ts'
import { listVoiceLanguages, listVoices } from './languages.ts'
import { checkNumber, createNumber, deleteNumber, getNumber, listNumbers, updateNumber } from './numbers.ts'
import { getCallRecording } from './recordings.ts'
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
  createNumber,
  listNumbers,
  getNumber,
  updateNumber,
  deleteNumber,
  checkNumber,
  createCall,
  listCalls,
  getCall,
  listCallEvents,
  getCallRecording,
  stopCall,
  sayInCall,
  transferCall,
  eraseCall,
  replayCall,
]

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from './data-paths.ts'
import { checkOutbound, outboundExceptions, outboundUses } from './outbound-rules.ts'
import { withoutComments } from './source-rules.ts'

const somewhere = 'services/alias/src/app.ts'

it.each([
  ["const reply = await fetch('https://example.com')", 'fetch'],
  ['const send = globalThis.fetch', 'fetch'],
  ['export const createApp = (send = fetch) => send', 'fetch'],
  ["const socket = new WebSocket('wss://example.com')", 'WebSocket'],
  ["import { request } from 'undici'", 'request of undici'],
  ["import {\n  Pool,\n} from 'undici'", 'Pool of undici'],
  ["import { type Dispatcher, Agent } from 'undici'", 'Agent of undici'],
  ["import { request as ask } from 'node:https'", 'request of node:https'],
  ["import { createServer, get } from 'node:http'", 'get of node:http'],
  ["import http from 'node:http'", 'default of node:http'],
  ["import * as net from 'node:net'", 'default of node:net'],
  ["import tls from 'tls'", 'default of tls'],
  ["import { connect } from 'node:tls'", 'connect of node:tls'],
  ["import { createSocket } from 'node:dgram'", 'createSocket of node:dgram'],
  ["export { connect } from 'node:net'", 'connect of node:net'],
  ["const { request } = await import('node:http')", 'node:http'],
  ["const undici = require('undici')", 'undici'],
  ["const net = process.getBuiltinModule('node:net')", 'node:net'],
  ["import OpenAI from 'openai'", 'default of openai'],
  ["import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'", 'BedrockRuntimeClient of @aws-sdk'],
  ["import axios from 'axios'", 'default of axios'],
])('catches a way out: %s', (code, says) => {
  expect(checkOutbound(somewhere, code)).toEqual([expect.stringContaining(says)])
})

it.each([
  "import type { Dispatcher } from 'undici'",
  "import { type Dispatcher, type Pool } from 'undici'",
  "import type { IncomingMessage } from 'node:http'",
  "import { createServer, type IncomingMessage } from 'node:http'",
  "import { isIP } from 'node:net'",
  "import { createUpstream } from '@ratchet/http/create-upstream'",
  'const rows = await store.fetch(ids)',
  "logger.info('it does not fetch images')",
  'const prefetch = 1',
])('leaves alone what opens nothing: %s', (code) => {
  expect(checkOutbound(somewhere, code)).toEqual([])
})

it.each(['packages/http/src/a.ts', 'services/alias/src/app.test.ts', 'bench/src/a.ts', 'infra/src/a.ts'])(
  'does not look at %s, which no request reaches or which is the guard',
  (file) => {
    expect(checkOutbound(file, "import { Pool } from 'undici'")).toEqual([])
  },
)

it.each(Object.keys(outboundExceptions))('still needs the exception for %s', (file) => {
  const code = withoutComments(readFileSync(path.join(repositoryRoot, file), 'utf8'))
  expect(outboundUses(code)).not.toEqual([])
})

it('has no more exceptions than it had', () => {
  expect(Object.keys(outboundExceptions).length).toBeLessThanOrEqual(3)
})

import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { findProgram } from '@ratchet/infra/processes/find-program'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type ProcessGroup, serverSpec } from './process-group.ts'
import { chatPath, type Target } from './target.ts'

export interface NginxOptions {
  readonly upstreamUrl: string
  /** Folder for its configuration and its temporary files. */
  readonly folder: string
  readonly say: (text: string) => void
}

/** nginx with one worker that forwards all requests over keep-alive connections; null when nginx is not installed. */
export async function startNginx(group: ProcessGroup, options: NginxOptions): Promise<Target | null> {
  const command = await findNginx(options.say)
  if (command === null) return null
  const port = await anyFreePort()
  const folder = path.join(options.folder, 'nginx')
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(file, nginxConfig({ port, folder, upstream: new URL(options.upstreamUrl).host }))
  const args = ['-c', file, '-p', folder, '-e', 'stderr']
  const { pid } = await group.startTarget(serverSpec({ name: 'nginx', command, args, port }))
  const headers = { 'content-type': 'application/json' }
  return {
    id: 'nginx',
    title: 'nginx',
    url: `http://127.0.0.1:${port}${chatPath}`,
    headers,
    processes: { nginx: pid },
  }
}

/** Bodies stay in memory and answers are not buffered, as is usual for a streaming API. */
function nginxConfig({ port, folder, upstream }: { port: number; folder: string; upstream: string }): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  upstream provider { server ${upstream}; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 16m;
    client_body_buffer_size 256k;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }
  }
}
`
}

async function findNginx(say: (text: string) => void): Promise<string | null> {
  const found = findProgram('nginx')
  if (found !== null) return found
  if (process.getuid?.() !== 0 || findProgram('apt-get') === null) {
    say('nginx is not on the PATH: its column stays empty')
    return null
  }
  say('nginx is not installed; installing it with apt-get')
  // RUNLEVEL=1 keeps the package from starting a server of its own.
  const words = ['RUNLEVEL=1', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=120']
  await collectOutput('env', [...words, 'update'])
  const { ok, output } = await collectOutput('env', [
    ...words,
    'install',
    '-y',
    '--no-install-recommends',
    'nginx-light',
  ])
  if (!ok) say(`nginx could not be installed (${output.trim().split('\n').at(-1)}): its column stays empty`)
  return findProgram('nginx')
}

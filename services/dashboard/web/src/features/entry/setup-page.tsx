import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { SetUp, setUp } from '@ratchet/contracts/dashboard/account'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { showErrorAt, useContractForm } from '../../kit/use-contract-form.ts'
import { Frame } from './frame.tsx'
import { slugOf } from './slug-of.ts'

const route = getRouteApi('/setup')

/** First run: makes the owner and the workspace with the token of the printed link, then leads to logging and the first key. */
export function SetupPage(): ReactNode {
  const { token } = route.useSearch()
  if (token === undefined) {
    return (
      <Frame title="Set up">
        <Text>Open the link that the server printed when it started. An operator can print a new one.</Text>
        <Text className="code">ratchet admin setup-link</Text>
      </Frame>
    )
  }
  return <SetupForm token={token} />
}

function SetupForm({ token }: { readonly token: string }): ReactNode {
  const [made, setMade] = useState<string | null>(null)
  const values = { token, email: '', name: '', password: '', workspace: { slug: '', name: '' } }
  const form = useContractForm(SetUp, values)
  const act = useAct(setUp, { onDone: ({ workspace }) => setMade(workspace.slug) })
  if (made !== null) return <NextSteps slug={made} />
  const send = form.onSubmit((body) => act.mutate({ body }, { onError: (error) => showErrorAt(form, error) }))
  const onWorkspaceName = (name: string) => {
    form.setFieldValue('workspace.name', name)
    form.setFieldValue('workspace.slug', slugOf(name))
  }
  return (
    <Frame title="Set up" lead="You become the owner of the first workspace. The link works once.">
      <form onSubmit={send}>
        <Stack gap={14}>
          <TextInput label="Your name" autoComplete="name" required {...form.getInputProps('name')} />
          <TextInput label="E-mail" type="email" autoComplete="username" required {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            description="At least 12 characters."
            autoComplete="new-password"
            required
            {...form.getInputProps('password')}
          />
          <TextInput
            label="Name of the workspace"
            required
            {...form.getInputProps('workspace.name')}
            onChange={({ currentTarget }) => onWorkspaceName(currentTarget.value)}
          />
          <TextInput
            label="Its address"
            description={`This page will be /w/${form.values.workspace.slug || '…'}`}
            required
            {...form.getInputProps('workspace.slug')}
          />
          {act.error && <ErrorState error={act.error} />}
          <Button type="submit" size="sm" loading={act.isPending}>
            Create the workspace
          </Button>
        </Stack>
      </form>
    </Frame>
  )
}

/** The browser loads the pages again, now with a session. */
function NextSteps({ slug }: { readonly slug: string }): ReactNode {
  return (
    <Frame title="The workspace is ready" lead="Three things make it useful. Each can be done later.">
      <Stack gap={10}>
        <Anchor href={`/w/${slug}/settings/logging`} size="sm">
          Turn logging on, so that traffic can be graded and compared
        </Anchor>
        <Anchor href={`/w/${slug}/settings/keys`} size="sm">
          Create an API key
        </Anchor>
        <Anchor href={`/w/${slug}`} size="sm">
          Go to the workspace
        </Anchor>
      </Stack>
    </Frame>
  )
}

import { Button, NumberInput, PasswordInput, Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Confirm } from '../kit/dialogs/confirm.tsx'
import { Card } from '../kit/page.tsx'
import { toast } from '../kit/toast.tsx'

export function DialogSection(): ReactNode {
  const [opened, setOpened] = useState(false)
  return (
    <Card title="Forms and dialogs">
      <Stack gap={12} maw={420}>
        <TextInput label="Name" description="What will use it." placeholder="deploy" />
        <TextInput label="URL" error="This must be https, and a public address." defaultValue="http://x" />
        <PasswordInput label="Password" />
        <NumberInput label="Requests per minute" defaultValue={60} />
        <Select label="Role" data={['member', 'admin', 'owner']} defaultValue="member" />
        <Radio label="Member" description="Reads everything." defaultChecked name="role" />
        <Switch label="May grade" description="Owners and admins may in any case." />
        <Button onClick={() => toast('The settings are saved.')}>Save</Button>
        <Button color="red" onClick={() => setOpened(true)}>
          Delete
        </Button>
        <Button variant="subtle" color="red">
          Remove
        </Button>
        <Button variant="light">Light</Button>
      </Stack>
      <Confirm
        opened={opened}
        onClose={() => setOpened(false)}
        title="Delete this webhook?"
        verb="Delete"
        typed="delete"
        isRunning={false}
        error={null}
        onConfirm={() => setOpened(false)}
      >
        Messages that wait are not sent.
      </Confirm>
    </Card>
  )
}

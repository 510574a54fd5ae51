import { Button, Text } from '@mantine/core'
import { leaveWorkspace } from '@ratchet/contracts/dashboard/members'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'

export function LeaveWorkspace({ name }: { readonly name: string }): ReactNode {
  const [opened, setOpened] = useState(false)
  const act = useAct(leaveWorkspace, { onDone: () => window.location.assign('/') })
  return (
    <div>
      <Button variant="default" onClick={() => setOpened(true)}>
        Leave this workspace
      </Button>
      <Confirm
        opened={opened}
        onClose={() => setOpened(false)}
        title={`Leave ${name}?`}
        verb="Leave"
        isRunning={act.isPending}
        error={act.error}
        onConfirm={() => act.mutate({})}
      >
        <Text>Your API keys in it end. An owner can invite you again. The last owner cannot leave.</Text>
      </Confirm>
    </div>
  )
}

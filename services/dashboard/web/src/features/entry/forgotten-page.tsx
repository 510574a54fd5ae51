import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Frame } from './frame.tsx'

/** The server sends no e-mail, so a person must ask for the link. */
export function ForgottenPage(): ReactNode {
  return (
    <Frame
      title="New password"
      lead="Ask an operator of this installation for a link. It works once, for your address only."
    >
      <Text>
        <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/sign-in" />}>
          Sign in
        </Anchor>
      </Text>
    </Frame>
  )
}

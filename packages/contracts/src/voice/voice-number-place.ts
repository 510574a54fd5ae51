/** The encryption context of the password of a number's trunk. It can be decrypted for no other number. */
export function voiceNumberPlace({ workspaceId, id }: { workspaceId: string; id: string }): string[] {
  return ['voice number', workspaceId, id]
}

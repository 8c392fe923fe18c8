"""The relay: channels in which AI characters talk and play, spoken to by WCP (`parlour.wcp`)."""

-- Tendril models in Neovim 0.8 or later: `dofile` this in your configuration.
-- Files *.tendril are models; with vim.g.tendril_m = true before it, files *.m are, too.
vim.filetype.add({ extension = { tendril = "tendril", m = vim.g.tendril_m and "tendril" or nil } })

vim.api.nvim_create_autocmd("FileType", {
  pattern = "tendril",
  callback = function(args)
    vim.bo[args.buf].commentstring = "%% %s"
    vim.lsp.start({
      name = "tendril",
      cmd = { vim.g.tendril_program or "tendril", "lsp" },
      root_dir = vim.fs.dirname(vim.api.nvim_buf_get_name(args.buf)),
    })
  end,
})

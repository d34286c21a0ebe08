-- Requests PREFIX/show-<n>SUFFIX for n in turn, so that no two concurrent requests are the same.
local prefix, suffix, count = os.getenv("PREFIX"), os.getenv("SUFFIX") or "", tonumber(os.getenv("COUNT"))
local n = 0

request = function()
  n = (n + 7) % count
  return wrk.format("GET", prefix .. "/show-" .. n .. suffix)
end

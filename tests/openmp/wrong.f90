! A unit that a thread of another process has opened.
program wrong
  implicit none
  open(unit=20, file='/dev/null')
  !$omp parallel
  write(20, *) 'each thread'
  !$omp end parallel
  print *, 'all is right'
end program
